import { signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'tributary.theme';
const stored = localStorage.getItem(KEY);

export const theme = signal<Theme>(THEMES.find((one) => one === stored) ?? 'system');

export const applyTheme = (): void => {
  document.documentElement.dataset.theme = theme.value;
};

export const chooseTheme = (chosen: Theme): void => {
  theme.value = chosen;
  localStorage.setItem(KEY, chosen);
  applyTheme();
};
