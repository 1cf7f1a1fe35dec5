"""What the project needs beside itself; no part of the distribution."""
