"""Put a report's own figures into the page of its study."""
