/** The list that was open last: where a note leads back to. */
import { addressOf } from '../shell/route'
import type { NoteFilter } from './find-notes'

let address = addressOf('notes')

/** The address of a filtered and searched list of notes. */
export function addressOfList({ tag, folder, archived }: NoteFilter, query: string): string {
  const kept = { ...(tag && { tag }), ...(folder && { folder }), ...(archived && { archived: '1' }) }
  return addressOf('notes', [], { ...kept, ...(query !== '' && { q: query }) })
}

/** Remembers the open list. */
export function rememberList(list: string): void {
  address = list
}

export const lastList = () => address
