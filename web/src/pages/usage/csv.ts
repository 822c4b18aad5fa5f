import type { Aggregate, Report } from './aggregates.ts';

const QUANTITIES = ['processedAudioLength', 'executionTime', 'ingressSize', 'egressSize', 'processedTokens'] as const;
const HEADER = ['part', 'name', 'start', 'streams', 'credits', 'currency', ...QUANTITIES];

/** A report as CSV (RFC 4180): a row for each period, processor and template, with every digit. Lengths in milliseconds, sizes in bytes. */
export const csvOf = (report: Report, templateName: (id: string) => string): string => {
  const row = (part: string, name: string, { startTimestamp, streamsCount, credits, measurements }: Aggregate) => [
    ...[part, name, startTimestamp, String(streamsCount), credits, report.currency ?? 'credits'],
    ...QUANTITIES.map((quantity) => String(measurements[quantity] ?? 0)),
  ];
  const rows = [
    HEADER,
    row('total', '', report.totalMeasurements),
    ...report.aggregatedMeasurements.map((one) => row('period', '', one)),
    ...report.operationTypeAggregatedMeasurements.map((one) => row('processor', one.operationType ?? '', one)),
    ...report.streamConfigurationTemplateIdAggregatedMeasurements.map((one) =>
      row('template', templateName(one.streamConfigurationTemplateId ?? ''), one),
    ),
  ];
  return rows.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
};

/** Spreadsheets run a text that begins like a formula, and templates are named by users. */
const cell = (text: string): string => {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
};
