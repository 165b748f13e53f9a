Creator "a program"
Version 1
# and no more
