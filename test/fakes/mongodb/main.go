// A server of the MongoDB wire protocol from outside this project: FerretDB on its SQLite backend.
// Usage: mongodb <data directory> [<host:port>]. One line on stdout says where it listens. It ends when its stdin does, so that it outlives
// no test.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) == 0 {
		return fmt.Errorf("usage: mongodb <data directory> [<host:port>]")
	}
	directory, err := filepath.Abs(arguments[0])
	if err != nil {
		return err
	}
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return err
	}
	address := "127.0.0.1:0"
	if len(arguments) > 1 {
		address = arguments[1]
	}
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: address},
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Handler:   "sqlite",
		// Its files outlive it, but need not outlive the machine.
		SQLiteURL: "file:" + directory + "/?_pragma=synchronous(off)",
	})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	go func() { fmt.Println(server.MongoDBURI()) }()
	return server.Run(ctx)
}
