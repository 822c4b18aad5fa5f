module processor

go 1.19
