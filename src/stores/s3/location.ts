/** Where topics lie in object storage: the setting `TOPICS_URL`. */
export interface BucketLocation {
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  /** `undefined`: AWS. */
  readonly endpoint: string | undefined;
  /** `undefined`: from AWS's own variables and files. */
  readonly region: string | undefined;
  /** Whether the bucket is part of the path, not of the host name. */
  readonly pathStyle: boolean;
}

const PARAMETERS = ['endpoint', 'region', 'pathStyle'];

/** Reads `s3://bucket/prefix?endpoint=...&region=...&pathStyle=true`. Throws an error that says what is wrong. */
export const bucketLocation = (text: string): BucketLocation => {
  const url = URL.canParse(text) ? new URL(text) : refuse('it must look like s3://bucket/prefix');
  if (url.protocol !== 's3:' || url.host === '') refuse('it must look like s3://bucket/prefix');
  if (url.username !== '' || url.password !== '') refuse('it takes no credentials. Use AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  const { searchParams: query } = url;
  const unknown = [...query.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) refuse(`"${unknown}" is not one of ${PARAMETERS.join(', ')}`);
  const path = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  const endpoint = query.get('endpoint') || undefined;
  return {
    bucket: url.host,
    prefix: path === '' ? '' : `${path}/`,
    endpoint: endpoint === undefined ? undefined : httpAddress(endpoint),
    // Servers other than AWS seldom have regions, but the signature names one.
    region: query.get('region') || (endpoint === undefined ? undefined : 'us-east-1'),
    pathStyle: isTrue(query.get('pathStyle')),
  };
};

const httpAddress = (endpoint: string): string =>
  URL.canParse(endpoint) && /^https?:/.test(endpoint) ? endpoint : refuse(`endpoint "${endpoint}" is not an http or https URL`);

const isTrue = (value: string | null): boolean => {
  if (value === null || value === 'true' || value === 'false') return value === 'true';
  return refuse(`pathStyle "${value}" is not true or false`);
};

const refuse = (reason: string): never => {
  throw new Error(reason);
};
