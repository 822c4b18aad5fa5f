export interface Aggregate {
  /** Decimal text, in credits or in the report's currency. */
  readonly credits: string;
  readonly startTimestamp: string;
  readonly streamsCount: number;
  readonly operationType: string | null;
  readonly streamConfigurationTemplateId: string | null;
  readonly measurements: Readonly<Record<string, number>>;
}

export interface Report {
  readonly startTimestamp: string;
  readonly endTimestamp: string;
  readonly granularity: 'HOURS' | 'DAYS' | 'MONTHS';
  readonly currency: string | null;
  readonly totalMeasurements: Aggregate;
  readonly aggregatedMeasurements: readonly Aggregate[];
  readonly operationTypeAggregatedMeasurements: readonly Aggregate[];
  readonly streamConfigurationTemplateIdAggregatedMeasurements: readonly Aggregate[];
}
