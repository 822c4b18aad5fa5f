export const Brand = () => (
  <span class="brand">
    <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <rect width="32" height="32" rx="8" class="brand-ground" />
      <path d="M7 8c5 0 6 8 9 8M7 24c5 0 6-8 9-8M7 16h18" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" />
    </svg>
    Tributary
  </span>
);
