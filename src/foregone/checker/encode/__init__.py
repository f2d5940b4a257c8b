"""What was published, and what is left of it after some actions, as rows of the kernel."""
