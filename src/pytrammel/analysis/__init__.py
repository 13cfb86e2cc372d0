"""What Trammel computes: a folder for each kind of question, a file for each verb; beside them what all of them share."""
