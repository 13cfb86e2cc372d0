"""What happens on the way: events, phases, touches, impacts, friction that sticks, corners of laws."""
