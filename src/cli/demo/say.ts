import { styleText } from 'node:util';

export const say = (text = ''): void => void process.stdout.write(`${text}\n`);

export const heading = (text: string): void => say(`\n${styleText('bold', text)}`);
