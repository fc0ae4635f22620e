import { sizeInWords } from '../../public/in-words.js'
import { useWorkspace } from '../data/use-workspace'
import type { Exported } from './exporter'
import { transfersOf } from './transfers'

interface Choice extends Exported {
  readonly title: string
  readonly words: string
}

const CHOICES: readonly Choice[] = [
  {
    title: 'Everything',
    words: 'One zip with every note, task, flashcard and chat, their history and the trash. Satchel imports it again.',
    path: 'api/export',
    file: 'satchel.zip',
  },
  {
    title: 'Notes as Markdown',
    words: 'A zip of text files in their folders, with attachments, as Obsidian and other editors read them.',
    path: 'api/notes/export',
    file: 'notes.zip',
  },
  {
    title: 'Tasks as a calendar file',
    words: 'To-dos with dates, repeats and reminders (.ics), for calendar and task programs.',
    path: 'api/tasks/export',
    query: { format: 'ics' },
    file: 'tasks.ics',
  },
  {
    title: 'Tasks as JSON',
    words: 'Every member of every task, for scripts.',
    path: 'api/tasks/export',
    query: { format: 'json' },
    file: 'tasks.json',
  },
  {
    title: 'Flashcards for Anki',
    words: 'A package (.apkg) with schedules, reviews and media.',
    path: 'api/flashcards/export',
    query: { format: 'apkg' },
    file: 'flashcards.apkg',
  },
  {
    title: 'Flashcards as CSV',
    words: 'Questions and answers alone, for spreadsheets.',
    path: 'api/flashcards/export',
    query: { format: 'csv' },
    file: 'flashcards.csv',
  },
]

/** Files to keep, or to take elsewhere. */
export function Export() {
  const { exporter } = transfersOf(useWorkspace())
  const moving = exporter.moving.value
  return (
    <section aria-labelledby="export">
      <div class="section-header">
        <h2 id="export">Export</h2>
      </div>
      <ul class="settings-list">
        {CHOICES.map((choice) => (
          <li key={choice.title}>
            <div>
              <h3>{choice.title}</h3>
              <p class="quiet">{choice.words}</p>
            </div>
            <button
              type="button"
              aria-disabled={moving !== null}
              aria-label={`Export: ${choice.title}`}
              onClick={() => exporter.start(choice)}
            >
              Export
            </button>
          </li>
        ))}
      </ul>
      {moving && (
        <div class="moving">
          <progress aria-label={`Exporting ${moving.file}`} />
          <p class="fine">
            {moving.file}: {sizeInWords(moving.bytes)} so far
          </p>
          <button type="button" onClick={exporter.cancel}>
            Cancel
          </button>
        </div>
      )}
      <p class="outcome" role="status">
        {exporter.words.value}
      </p>
      <p class="fine quiet">Keys and the addresses of calendars are secret: no export has them.</p>
    </section>
  )
}
