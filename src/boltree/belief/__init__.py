"""What is believed about a hidden state: particles and their weights."""
