declare module 'vader-sentiment' {
  const vader: {
    readonly SentimentIntensityAnalyzer: {
      /** `compound` is -1..1. */
      polarity_scores(text: string): { neg: number; neu: number; pos: number; compound: number };
    };
  };
  export default vader;
}
