export { messageOf } from '../domain/stream/messageFrame.ts';
