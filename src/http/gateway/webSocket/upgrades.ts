import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Problem } from '../../../domain/problem.ts';
import { unknownPath } from '../../errors/errors.ts';
import { rawAnswer } from '../../server/server.ts';

/** A gateway on the port. */
export interface UpgradeTaker {
  /** Whether it serves this upgrade. Any other request is served as if it had offered none. */
  takes(incoming: IncomingMessage): boolean;
  take(incoming: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Passes each upgrade to its gateway. Node passes on those for which `ListenOptions.upgrades` is true. */
export const serveUpgrades = (server: Server, gateways: readonly UpgradeTaker[]): void => {
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const gateway = gateways.find((one) => one.takes(incoming));
    if (gateway) gateway.take(incoming, socket, head);
    else refuseUpgrade(socket, unknownPath());
  });
};

/** Answers a handshake with a refusal, in the shape that clients of the path expect. */
export const refuseUpgrade = (socket: Duplex, problem: Problem, path?: string): void => {
  if (socket.writable) socket.end(rawAnswer(problem, path), () => socket.destroy());
  else socket.destroy();
};
