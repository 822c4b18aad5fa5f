const PREFIX = 'tech.vatis.schema.stream.processor.properties.';

/** Fully qualified names of the properties of processors. Part of the public interface: clients compare them literally. */
export const PROPERTIES_SCHEMAS = {
  none: `${PREFIX}NoPropertiesDto`,
  batchTranscriber: `${PREFIX}fasterwhisper.FasterWhisperProcessorPropertiesDto`,
  liveTranscriber: `${PREFIX}liveasr.LiveAsrProcessorPropertiesDto`,
  diarization: `${PREFIX}pyannote.PyAnnoteProcessorPropertiesDto`,
  llm: `${PREFIX}llm.LlmPropertiesDto`,
  redaction: 'tributary.properties.v1.Redaction',
} as const;
