import { createHash } from 'node:crypto';

/** Descriptions do not change the shape of the interface. A property called `description` is an object, and stays. */
const isWording = (name, member) =>
  name === 'example' ||
  name === 'examples' ||
  (['description', 'summary', 'tags'].includes(name) && (typeof member === 'string' || Array.isArray(member)));

const shapeOf = (value) => {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name, member]) => !isWording(name, member));
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, shapeOf(member)]));
};

/** SHA-256 of the parts of an API document that determine a client's types. */
export const fingerprintOf = ({ info, servers, ...document }) =>
  createHash('sha256')
    .update(JSON.stringify(shapeOf(document)))
    .digest('hex');
