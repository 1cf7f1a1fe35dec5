"""Which snapshot of dynamic resources should a cluster autoscaler fork and revert all day?"""
