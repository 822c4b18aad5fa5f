import { expect, it } from 'vitest';
import { revokeShare, shareStream } from '../../../src/commands/shares.ts';
import { beginUpload } from '../../../src/commands/upload.ts';
import { sharesEventStream } from '../../../src/domain/shares/events.ts';
import { BY, commandRig, planOf } from '../../fakes/commandRig.ts';
import { OWNER, STREAM } from '../../fakes/streamStory.ts';

it("logs an admin's link and its revocation under the owner of the stream", async () => {
  const { deps } = commandRig();
  await beginUpload(deps, planOf(), BY);
  const admin = { ...BY, subject: 'admin' };
  const request = { streamId: STREAM, caller: { subject: 'admin', actor: 'credential', roles: ['admin' as const] } };
  const { share } = await shareStream(deps, { ...request, expires: null, media: true }, admin);
  await revokeShare(deps, { ...request, shareId: share.id }, admin);
  const events = await deps.log.readStream(sharesEventStream(STREAM), {});
  expect(events.map(({ type, metadata }) => [type, metadata.subject])).toEqual([
    ['StreamShared', OWNER],
    ['ShareRevoked', OWNER],
  ]);
});
