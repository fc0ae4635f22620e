/**
 * Tags of notes and labels of tasks. What a person adds and removes is sent as such, so that what another device adds to
 * the same list meanwhile stays.
 */
import { editNames } from '../../src/lib/text'

/** What is added to a list of names, or taken away. */
export interface NameChange {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}

/** The lists, by the type of write, with the members that change them. */
const LISTS = {
  note: { whole: 'tags', add: 'tags_add', remove: 'tags_remove' },
  task: { whole: 'labels', add: 'labels_add', remove: 'labels_remove' },
} as const
type Type = keyof typeof LISTS
type Data = Readonly<Record<string, unknown>>

/** Names of one list that one op adds or removes at most; see the server's MAX_TAGS and MAX_LABELS. */
const MAX_CHANGED = 50

const namesOf = (data: Data, member: string) => (data[member] as readonly string[] | undefined) ?? []

/** The list as a change makes it of the one that was there. */
export function changedNames(type: Type, data: Data, before: readonly string[]): string[] {
  const { whole, add, remove } = LISTS[type]
  const names = (data[whole] as readonly string[] | undefined) ?? before
  return editNames(names, namesOf(data, add), namesOf(data, remove))
}

/**
 * The members of two changes, one after the other, as those of one change; null if it would change too many names.
 * @param isNew the first makes what the second changes, and takes whole lists only
 */
export function joinChanges(type: Type, first: Data, second: Data, isNew: boolean): Data | null {
  const { whole, add, remove } = LISTS[type]
  const both = { ...first, ...second }
  if (!(add in both || remove in both)) return both
  const { [add]: _, [remove]: __, ...others } = both
  if (isNew || whole in second) return { ...others, [whole]: changedNames(type, second, namesOf(first, whole)) }
  const removed = editNames(namesOf(first, remove), namesOf(second, remove), [])
  const added = editNames(namesOf(first, add), namesOf(second, add), namesOf(second, remove))
  if (Math.max(removed.length, added.length) > MAX_CHANGED) return null
  return { ...others, ...(removed.length > 0 && { [remove]: removed }), ...(added.length > 0 && { [add]: added }) }
}
