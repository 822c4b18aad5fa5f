import { getJson } from '../../api/request.ts';
import { type Resource, useResource } from '../../api/useResource.ts';
import type { Report } from './aggregates.ts';

const HOUR_MILLISECONDS = 3_600_000;
const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;

/** A choice of period: its name in the address and for the reader, its granularity, and its start (absent: the first of the month). */
export const PERIODS = [
  { name: 'month', title: 'This month', granularity: 'DAYS', back: null },
  { name: 'day', title: 'Last 24 hours', granularity: 'HOURS', back: DAY_MILLISECONDS },
  { name: 'week', title: 'Last 7 days', granularity: 'DAYS', back: 7 * DAY_MILLISECONDS },
  { name: 'quarter', title: 'Last 90 days', granularity: 'DAYS', back: 90 * DAY_MILLISECONDS },
  { name: 'year', title: 'Last 365 days', granularity: 'MONTHS', back: 365 * DAY_MILLISECONDS },
] as const;

export const CURRENCIES = [
  ['', 'Credits'],
  ['USD', 'US dollars'],
  ['EUR', 'Euros'],
] as const;

/** The report that the address asks for. */
export const useReport = (query: URLSearchParams): Resource<Report> => {
  const period = PERIODS.find(({ name }) => name === query.get('period')) ?? PERIODS[0];
  const asked = { granularity: period.granularity, currency: query.get('currency'), subject: query.get('subject') };
  return useResource({
    key: JSON.stringify([period.name, asked]),
    load: (signal) => {
      const start = period.back === null ? null : new Date(Date.now() - period.back).toISOString();
      return getJson<Report>('/usage-service/api/v1/usage/report', { query: { ...asked, start }, signal });
    },
  });
};
