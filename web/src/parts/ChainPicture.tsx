import { type Box, type ChainNode, layOut } from './chainLayout.ts';
import { useWidth } from './useWidth.ts';

/** The data source, the processors with their connections, and the persistent sinks. */
export const ChainPicture = ({ nodes }: { readonly nodes: readonly ChainNode[] }) => {
  const { ref, width } = useWidth<HTMLDivElement>(800);
  const { boxes, edges, height } = layOut(nodes, width);
  return (
    <div ref={ref} class="chain">
      <svg width={width} height={height} role="img" aria-label={inWords(nodes)}>
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
            <path d="M0 0 8 4 0 8z" class="chain-arrow" />
          </marker>
        </defs>
        {edges.map((path) => (
          <path key={path} class="chain-edge" d={path} marker-end="url(#arrow)" />
        ))}
        {boxes.map((box) => (
          <Node key={`${box.node.kind} ${box.node.id}`} box={box} />
        ))}
      </svg>
    </div>
  );
};

// Widths of a letter, on average.
const NAME_LETTER = 8.4;
const SMALL_LETTER = 6.1;

const Node = ({ box: { node, x, y, width, height } }: { readonly box: Box }) => (
  <g class={`chain-node ${node.kind} ${node.tone}`}>
    <title>{node.more}</title>
    <rect x={x + 0.5} y={y + 0.5} width={Math.max(0, width - 1)} height={height - 1} rx={node.kind === 'sink' ? height / 2 : 8} />
    {node.kind === 'sink' ? (
      <text x={x + width / 2} y={y + height / 2 + 4} text-anchor="middle" class="chain-small">
        {node.line}
      </text>
    ) : (
      <>
        <text x={x + 14} y={y + 24} class="chain-name">
          {fitting(node.title, (width - 20) / NAME_LETTER)}
        </text>
        <circle cx={x + 18} cy={y + 39} r={4} />
        <text x={x + 28} y={y + 43} class="chain-small">
          {fitting(node.line, (width - 34) / SMALL_LETTER)}
        </text>
      </>
    )}
  </g>
);

/** SVG text is not wrapped, so it is cut here. The title has the whole text. */
const fitting = (text: string, letters: number): string => (text.length <= letters ? text : `${text.slice(0, Math.floor(letters) - 1)}…`);

const inWords = (nodes: readonly ChainNode[]): string =>
  nodes
    .map((node) => {
      if (node.kind === 'source') return `Data source: ${node.line}`;
      if (node.kind === 'sink') return `sink of ${node.after}: ${node.line}`;
      return `${node.title} reads ${node.after ?? 'the data source'}: ${node.line}`;
    })
    .join('; ');
