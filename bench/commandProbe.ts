import { CommandStartedEvent, MongoClient } from 'mongodb';

/**
 * Loaded into a measured server before its own code, with `monitorCommands=true` in MONGODB_URL: counts the commands that the driver sends. Asked by
 * `commands`, it answers with their numbers since the start, by command and collection.
 */
export type CommandCounts = Readonly<Record<string, number>>;

const counts: Record<string, number> = {};

/** A build counts under the name of its read model. */
const collectionOf = ({ command, commandName }: CommandStartedEvent): string => String(command[commandName]).replace(/@.*/, '');

// Each client of the driver repeats the events of its connections.
MongoClient.prototype.emit = new Proxy(MongoClient.prototype.emit, {
  apply: (emit, client, event: readonly unknown[]) => {
    const [, command] = event;
    if (command instanceof CommandStartedEvent) {
      const key = `${command.commandName} ${collectionOf(command)}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    return Reflect.apply(emit, client, event);
  },
});

process.on('message', (message) => {
  if (message === 'commands') process.send?.(counts);
});
process.channel?.unref();
