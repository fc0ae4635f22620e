/** Notes: the list, the trash, or one note. */
import { route } from '../shell/route'
import { NoteList } from './NoteList'
import { NotePage } from './NotePage'
import { TrashedNotes } from './TrashedNotes'

export function Screen() {
  const { parts, query } = route.value
  const [id] = parts
  if (id !== undefined) return <NotePage id={id} />
  return query.get('trash') === '1' ? <TrashedNotes /> : <NoteList />
}
