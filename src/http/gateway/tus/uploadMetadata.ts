import { fileNameOf } from '../multipart.ts';

export type UploadMetadata = Readonly<Record<string, string | null>>;

/** What tus clients call a file's name and type. The type says nothing that the template does not. */
const FILE_NAMES: readonly string[] = ['filename', 'name'];
const FILE_TYPES: readonly string[] = ['filetype', 'type'];

/** The values of `Upload-Metadata` as parameters of an upload. A `fileName` that is given, here or in the query (`isNamed`), wins over the file's own name. */
export const fieldsOf = (metadata: UploadMetadata, isNamed: boolean): { name: string; value: string }[] => {
  const filename = FILE_NAMES.map((key) => metadata[key]).find((value) => value) ?? '';
  const fileName = fileNameOf({ filename });
  const others = Object.entries(metadata).filter(([key]) => !FILE_NAMES.includes(key) && !FILE_TYPES.includes(key));
  return [
    ...others.map(([name, value]) => ({ name, value: value ?? '' })),
    ...(fileName === null || isNamed || Object.hasOwn(metadata, 'fileName') ? [] : [{ name: 'fileName', value: fileName }]),
  ];
};
