/** Where resumable uploads are created. */
export const TUS_PATH = '/http-gateway/api/v1/tus';
export const TUS_VERSION = '1.0.0';
/** The extensions of the protocol that are offered, besides `expiration`. */
export const TUS_EXTENSIONS = ['creation', 'creation-with-upload', 'termination'] as const;
