import { ApiError } from '../http/api-error'
import { titleKey } from '../lib/text'

import type { ActionTarget } from './schema'

/** The resources that a call may see; a member that is null does not limit them. */
export interface ToolScope {
  readonly types: readonly string[] | null
  readonly tags: readonly string[] | null
  readonly ids: readonly string[] | null
}

/** The types of a scope that make each kind visible: a card shows its fact, and which deck it is in. */
const VISIBLE_TYPES: Readonly<Record<ActionTarget['type'], readonly string[]>> = {
  note: ['note'],
  task: ['task'],
  fact: ['fact', 'card'],
  deck: ['deck', 'fact', 'card'],
}

/** Whether the scope shows resources of this kind at all. */
export function allowsKind({ types }: ToolScope, kind: ActionTarget['type']): boolean {
  return types === null || VISIBLE_TYPES[kind].some((type) => types.includes(type))
}

/** Whether the scope is limited to ids or tags: then counts and names of other resources must not be revealed. */
export function isNarrow({ tags, ids }: ToolScope): boolean {
  return tags !== null || ids !== null
}

interface ScopedResource {
  readonly kind: ActionTarget['type']
  /** Its ids; one of them must be in the scope. */
  readonly ids: readonly string[]
  /** Tags of a note or a fact, labels of a task. */
  readonly tags: readonly string[]
}

/** Whether the scope shows a resource: its kind, all tags of the scope, and one of its ids must match. */
export function showsResource(scope: ToolScope, { kind, ids, tags }: ScopedResource): boolean {
  if (!allowsKind(scope, kind)) return false
  if (scope.ids && !ids.some((id) => scope.ids?.includes(id))) return false
  const keys = new Set(tags.map(titleKey))
  return scope.tags === null || scope.tags.every((tag) => keys.has(titleKey(tag)))
}

/** Creates the error for a resource that the scope hides: the same as for one that does not exist. */
export function notInScope(kind: string): ApiError {
  return new ApiError('not_found', `There is no such ${kind} that may be seen here.`)
}

/** Throws not_found if the scope hides this kind of resource; then none may be created either. */
export function requireKind(scope: ToolScope, kind: ActionTarget['type']): void {
  if (!allowsKind(scope, kind)) throw notInScope(kind)
}
