"""The version, where every module can have it without importing the package's public face."""

__version__ = "0.1.0"
