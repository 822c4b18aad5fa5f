import { expect, test } from 'vitest';
import { socketParameters } from '../../../../src/http/gateway/webSocket/parameters.ts';
import { RawQuery } from '../../../../src/http/query/rawQuery.ts';

const ID = 'A16EDB23-0000-4000-8000-00000000000A';

test('reads ids in lower case and names as written', () => {
  const { upload } = socketParameters(new RawQuery(`streamConfigurationTemplateId=x&id=${ID}&groupId=${ID}&name=${ID}`), () => undefined);
  expect([upload.id, upload.groupId, upload.name]).toEqual([ID.toLowerCase(), ID.toLowerCase(), ID]);
});
