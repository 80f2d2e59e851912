"""What a child process can be asked to do: one file per task, each with `run(arguments, report) -> document`."""
