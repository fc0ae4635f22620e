/** The note of a day, with a box that adds a line to it. */
import { draftOf } from '../data/drafts'
import { useWorkspace } from '../data/use-workspace'
import { addressOf } from '../shell/route'
import { SectionTitle } from '../tasks/ListHeader'
import { say } from '../words/say'
import { addDailyLine, findDailyNote } from './daily-lines'

const draft = draftOf('satchel.daily.text ')

export function DailyNote({ date }: { date: string }) {
  const workspace = useWorkspace()
  const note = findDailyNote(workspace.copy, date)
  const waiting = workspace.copy.lines.value.filter(({ op }) => op.date === date)
  const text = draft.text.value
  return (
    <section aria-labelledby="daily">
      <SectionTitle id="daily" title={say`Note of the day`}>
        {note && <a href={addressOf('notes', [note.id])}>{say`Open{# verb}`}</a>}
      </SectionTitle>
      {note && note.excerpt !== '' && (
        <p class="excerpt" dir="auto">
          {note.excerpt}
        </p>
      )}
      {waiting.map(({ op }) => (
        <p class="excerpt" dir="auto" key={op.id}>
          {op.content}
        </p>
      ))}
      <form
        class="joined"
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() === '') return
          addDailyLine(workspace, date, text.trim())
          draft.change('')
        }}
      >
        <input
          aria-label={say`Add to the note of the day`}
          placeholder={say`What is worth keeping?`}
          dir="auto"
          value={text}
          onInput={(event) => draft.change(event.currentTarget.value)}
        />
        <button type="submit">{say`Add`}</button>
      </form>
    </section>
  )
}
