/** Formats that need all results before they can be written. */
export const COLLECTED_FORMATS = ['JSON', 'TEXT', 'SRT', 'VTT', 'DOCX', 'MD', 'CSV'] as const;
export type CollectedFormat = (typeof COLLECTED_FORMATS)[number];

export const EXPORT_FORMATS = [...COLLECTED_FORMATS, 'EVENTS', 'ZIP'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The files of exports. */
export const FILE_TYPES = {
  JSON: { ending: 'json', contentType: 'application/json' },
  TEXT: { ending: 'txt', contentType: 'text/plain; charset=utf-8' },
  EVENTS: { ending: 'ndjson', contentType: 'application/x-ndjson' },
  SRT: { ending: 'srt', contentType: 'application/x-subrip; charset=utf-8' },
  VTT: { ending: 'vtt', contentType: 'text/vtt; charset=utf-8' },
  DOCX: { ending: 'docx', contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' },
  MD: { ending: 'md', contentType: 'text/markdown; charset=utf-8' },
  CSV: { ending: 'csv', contentType: 'text/csv; charset=utf-8' },
  ZIP: { ending: 'zip', contentType: 'application/zip' },
} as const satisfies Record<ExportFormat, { readonly ending: string; readonly contentType: string }>;
