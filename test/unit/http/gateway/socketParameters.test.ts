import { expect, test } from 'vitest';
import { socketParameters } from '../../../../src/http/gateway/webSocket/parameters.ts';

const ID = 'A16EDB23-0000-4000-8000-00000000000A';

test('reads ids in lower case and names as written', () => {
  const { upload } = socketParameters(`streamConfigurationTemplateId=x&id=${ID}&groupId=${ID}&name=${ID}`, () => undefined);
  expect([upload.id, upload.groupId, upload.name]).toEqual([ID.toLowerCase(), ID.toLowerCase(), ID]);
});
