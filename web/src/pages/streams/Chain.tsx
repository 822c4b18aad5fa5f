import type { Stream, StreamComponents } from '../../api/types.ts';
import { ChainPicture } from '../../parts/ChainPicture.tsx';
import { chainOf } from './chainOf.ts';

/** The chain of a stream with the state of each part. */
export const Chain = ({ stream, components }: { readonly stream: Stream; readonly components: StreamComponents }) => (
  <ChainPicture nodes={chainOf(stream, components)} />
);
