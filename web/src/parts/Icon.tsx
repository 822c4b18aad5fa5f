/** Line drawings on a grid of 20, one path each. */
const PATHS = {
  streams: 'M2 6c4 0 4 3 8 3s4-3 8-3M2 11c4 0 4 3 8 3s4-3 8-3',
  upload: 'M10 13V3m0 0L6 7m4-4 4 4M3 13v3a1 1 0 0 0 1 1h12a1 1 0 0 0 1-1v-3',
  webhooks: 'M7 9.5a3.5 3.5 0 1 1 5.5-2.8L15 12M13 11.5a3.5 3.5 0 1 1-.5 4.5H6M10 7.5l-3 6',
  templates: 'M3 4h6v5H3zM11 11h6v5h-6zM6 9v4.5h5',
  usage: 'M3 17V3M3 17h14M7 14V9m4 5V5m4 9v-3',
  credentials: 'M12.5 3a4.5 4.5 0 1 1-3.6 7.2L3 16v1.5h3V16h2v-2l1.5-1.5M13.5 6.5h.01',
  users: 'M7 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 17c0-3 2-5 5-5s5 2 5 5M13 4a3 3 0 0 1 0 5.5M14.5 12.5c2 .6 3.5 2.3 3.5 4.5',
  search: 'M9 3a6 6 0 1 1 0 12A6 6 0 0 1 9 3zm4.5 10.5L18 18',
  library: 'M4 3h3v14H4zM9 3h3v14H9zM14 4l3-.6L19 16l-3 .6z',
  settings: 'M3 5h8m4 0h2M3 10h2m4 0h8M3 15h8m4 0h2M11 3v4M5 8v4m6 1v4',
  audit: 'M5 2h7l3 3v13H5zM8 8h4M8 11h4M8 14h2',
  operations:
    'M10 7a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM10 2v2.5m0 11V18M2 10h2.5m11 0H18M4.3 4.3l1.8 1.8m7.8 7.8 1.8 1.8m0-11.4-1.8 1.8m-7.8 7.8-1.8 1.8',
  menu: 'M3 5h14M3 10h14M3 15h14',
  close: 'M5 5l10 10M15 5 5 15',
  copy: 'M7 7V3h10v10h-4M3 7h10v10H3z',
  check: 'M4 10.5 8 14.5 16 5.5',
  download: 'M10 3v10m0 0 4-4m-4 4L6 9M3 16h14',
  back: 'M12 4l-6 6 6 6',
  next: 'M8 4l6 6-6 6',
  record: 'M10 2.5a2.5 2.5 0 0 1 2.5 2.5v5a2.5 2.5 0 0 1-5 0V5A2.5 2.5 0 0 1 10 2.5zM4.5 9.5a5.5 5.5 0 0 0 11 0M10 15v3',
  stop: 'M5 5h10v10H5z',
  play: 'M6 4l10 6-10 6z',
  processors: 'M6 6h8v8H6zM8 3v3m4-3v3M8 14v3m4-3v3M3 8h3m-3 4h3m8-4h3m-3 4h3',
  refresh: 'M16.5 9A6.5 6.5 0 1 0 15 14.2M16.5 4v5h-5',
  alert: 'M10 3 2 17h16zM10 8v4m0 2.5h.01',
  system: 'M3 4h14v9H3zM7 17h6M10 13v4',
  light: 'M10 6.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM10 2v1.5m0 13V18M2 10h1.5m13 0H18M4.3 4.3l1 1m9.4 9.4 1 1m0-11.4-1 1m-9.4 9.4-1 1',
  dark: 'M16.5 12A7 7 0 0 1 8 3.5 7 7 0 1 0 16.5 12z',
  signOut: 'M8 3H3v14h5M8 10h9m0 0-3-3m3 3-3 3',
} as const;

export type IconName = keyof typeof PATHS;

/** Decorative: its meaning is in the text beside it, or in the label of its button. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
    <path d={PATHS[name]} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" />
  </svg>
);
