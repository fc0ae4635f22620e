/** Notes: the list, the trash, or one note. */
import { route } from '../shell/route'
import { NoteList } from './NoteList'
import { NotePage } from './NotePage'
import { Trash } from './Trash'

export function Screen() {
  const { parts, query } = route.value
  const [id] = parts
  if (id !== undefined) return <NotePage id={id} />
  return query.get('trash') === '1' ? <Trash /> : <NoteList />
}
