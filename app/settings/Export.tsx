import { sizeInWords } from '../../public/in-words.js'
import { useWorkspace } from '../data/use-workspace'
import { Button } from '../shell/controls'
import { reader, say } from '../words/say'
import type { Exported } from './exporter'
import { Section } from './Section'
import { transfersOf } from './transfers'

interface Choice extends Exported {
  readonly title: string
  readonly words: string
}

const CHOICES: readonly Choice[] = [
  {
    title: say`Everything`,
    words: say`One zip with every note, task, flashcard and chat, their history and the trash. Satchel imports it again.`,
    path: 'api/export',
    file: 'satchel.zip',
  },
  {
    title: say`Notes as Markdown`,
    words: say`A zip of text files in their folders, with attachments, as Obsidian and other editors read them.`,
    path: 'api/notes/export',
    file: 'notes.zip',
  },
  {
    title: say`Tasks as a calendar file`,
    words: say`To-dos with dates, repeats and reminders (.ics), for calendar and task programs.`,
    path: 'api/tasks/export',
    query: { format: 'ics' },
    file: 'tasks.ics',
  },
  {
    title: say`Tasks as JSON`,
    words: say`Every member of every task, for scripts.`,
    path: 'api/tasks/export',
    query: { format: 'json' },
    file: 'tasks.json',
  },
  {
    title: say`Flashcards for Anki`,
    words: say`A package (.apkg) with schedules, reviews and media.`,
    path: 'api/flashcards/export',
    query: { format: 'apkg' },
    file: 'flashcards.apkg',
  },
  {
    title: say`Flashcards as CSV`,
    words: say`Questions and answers alone, for spreadsheets.`,
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
    <Section title={say`Export`}>
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
              aria-label={say`Export: ${choice.title}`}
              onClick={() => exporter.start(choice)}
            >
              {say`Export{# verb}`}
            </button>
          </li>
        ))}
      </ul>
      {moving && (
        <div class="moving">
          <progress aria-label={say`Exporting ${moving.file}`} />
          <p class="fine">{say`${moving.file}: ${sizeInWords(moving.bytes, reader)} so far`}</p>
          <Button run={exporter.cancel}>{say`Cancel`}</Button>
        </div>
      )}
      <p class="outcome" role="status">
        {exporter.words.value}
      </p>
      <p class="fine quiet">{say`Keys and the addresses of calendars are secret: no export has them.`}</p>
    </Section>
  )
}
