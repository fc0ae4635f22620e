import { ApiError } from '../../http/api-error'
import { titleKey } from '../../lib/text'

import type { ActionTarget } from './schema'

/** What may be read. Null: everything of the workspace. */
export interface ChatScope {
  readonly types: readonly string[] | null
  readonly tags: readonly string[] | null
  readonly ids: readonly string[] | null
}

/** Each kind with the kinds of the change feed that let it in: a card shows its fact, and which deck it is in. */
const VISIBLE_TYPES: Readonly<Record<ActionTarget['type'], readonly string[]>> = {
  note: ['note'],
  task: ['task'],
  fact: ['fact', 'card'],
  deck: ['deck', 'fact', 'card'],
}

/** Whether the scope lets in resources of this kind at all. */
export function allowsKind({ types }: ChatScope, kind: ActionTarget['type']): boolean {
  return types === null || VISIBLE_TYPES[kind].some((type) => types.includes(type))
}

/** Whether the scope names single resources or tags: then counts and names of others would reveal too much. */
export function isNarrow({ tags, ids }: ChatScope): boolean {
  return tags !== null || ids !== null
}

interface ScopedResource {
  readonly kind: ActionTarget['type']
  /** Its own id, or any of those that it goes by. */
  readonly ids: readonly string[]
  /** Tags of a note or a fact, labels of a task. */
  readonly tags: readonly string[]
}

/** Whether the scope shows a resource: one of its kinds, with all of its tags, and named by it. */
export function showsResource(scope: ChatScope, { kind, ids, tags }: ScopedResource): boolean {
  if (!allowsKind(scope, kind)) return false
  if (scope.ids && !ids.some((id) => scope.ids?.includes(id))) return false
  const keys = new Set(tags.map(titleKey))
  return scope.tags === null || scope.tags.every((tag) => keys.has(titleKey(tag)))
}

/** What is hidden is as if it were not there. */
export function notInScope(kind: string): ApiError {
  return new ApiError('not_found', `There is no such ${kind} in what this chat may see.`)
}

/** Throws not_found where the scope has no resources of this kind: none is made there either. */
export function requireKind(scope: ChatScope, kind: ActionTarget['type']): void {
  if (!allowsKind(scope, kind)) throw notInScope(kind)
}
