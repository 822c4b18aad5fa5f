import type { ComponentType } from 'preact';
import type { Role } from '../api/types.ts';
import type { IconName } from '../parts/Icon.tsx';

/** A page's view of the place: the segments after its path, and the query after the `?` of the hash. */
export interface PageProps {
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

/** A page of the dashboard, at `#/<path>/...`. */
export interface Page {
  /** The first segment of its place. */
  readonly path: string;
  /** As the navigation says it. */
  readonly title: string;
  readonly icon: IconName;
  /** The roles that see it; `null`: every signed-in user. */
  readonly roles: readonly Role[] | null;
  readonly Component: ComponentType<PageProps>;
}
