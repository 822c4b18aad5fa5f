import type { ComponentType } from 'preact';
import type { Role } from '../api/types.ts';
import type { IconName } from '../parts/Icon.tsx';

/** What a page is told of the place: what stands behind its path, and the query behind the `?` of the hash. */
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
  /** Who sees it; `null`: everybody who has signed in. */
  readonly roles: readonly Role[] | null;
  readonly Component: ComponentType<PageProps>;
}
