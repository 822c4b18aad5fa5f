/**
 * Elements that reach beyond the window, tables wider than their frame, and values that are not beside their header. Runs inside the page, so
 * it refers to nothing outside itself.
 */
export const cutOff = (): string[] => {
  const tooWide = [...document.querySelectorAll('main *, dialog *')].filter((element) => {
    const { width, right } = element.getBoundingClientRect();
    // Firefox gives elements of closed details a size, too.
    return width > 0 && right > innerWidth + 1 && element.checkVisibility() && !element.closest('pre, thead, .visually-hidden');
  });
  const frames = [...document.querySelectorAll('.table-frame')].filter((one) => one.scrollWidth > one.clientWidth + 1);
  // In a table of blocks, values stand beside their header, however many lines they have. Short rows have no headers.
  const underHeaders = [...document.querySelectorAll('.table.blocks:not(.short) td[data-header] > *')].filter((element) => {
    const cell = element.closest('td')?.getBoundingClientRect();
    return cell && element.getBoundingClientRect().width > 0 && element.getBoundingClientRect().left < cell.left + 90;
  });
  const named = [...tooWide, ...frames, ...underHeaders].map((element) => `${element.tagName} ${element.textContent?.slice(0, 40)}`);
  return document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways', ...named] : named;
};
