/** Files of other programs, and of Satchel: first what an import would do, then the import itself. */
import { useEffect, useRef } from 'preact/hooks'
import { failureInWords, tableOf } from '../../public/import-run.js'
import { useWorkspace } from '../data/use-workspace'
import { Button } from '../shell/controls'
import { addressOf, addressOfItem } from '../shell/route'
import { say } from '../words/say'
import { type Ended, type Importer, SHOWN_ITEMS } from './importer'
import { Section } from './Section'
import { transfersOf } from './transfers'

export function Import() {
  const { importer } = transfersOf(useWorkspace())
  const field = useRef<HTMLInputElement>(null)
  const isBusy = importer.progress.value !== null
  useEffect(() => {
    void importer.findAgain()
  }, [importer])
  return (
    <Section title={say`Import`}>
      <p class="quiet">
        {say`Drop files anywhere on this screen. What they would change is shown first; nothing is imported until you say so, and importing the same file again makes nothing twice.`}
      </p>
      <div class="row choose">
        <button type="button" class="primary" aria-disabled={isBusy} onClick={() => isBusy || field.current?.click()}>
          {say`Choose files`}
        </button>
        <input
          ref={field}
          type="file"
          multiple
          class="unseen"
          tabIndex={-1}
          aria-hidden="true"
          onChange={() => {
            const files = [...(field.current?.files ?? [])]
            if (field.current) field.current.value = '' // So that the same file can be chosen again.
            void importer.plan(files)
          }}
        />
      </div>
      <Faults importer={importer} />
      <Moving importer={importer} />
      <Outcome importer={importer} />
      <details class="formats">
        <summary>{say`Which files can be imported`}</summary>
        <ul class="quiet">
          <li>{say`Satchel: the zip of an export`}</li>
          <li>{say`Notes: a zip of Markdown such as an Obsidian vault, Google Keep (Takeout), Evernote (.enex), .md`}</li>
          <li>{say`Tasks: calendars (.ics), Todoist (.csv), todo.txt`}</li>
          <li>{say`Flashcards: Anki (.apkg, .colpkg), .csv, .tsv, .json`}</li>
        </ul>
      </details>
    </Section>
  )
}

/** Sentences about files that are not taken. */
const FAULTS_SHOWN = 3

function Faults({ importer }: { importer: Importer }) {
  const faults = importer.faults.value
  const more = faults.length - FAULTS_SHOWN
  return (
    <div role="alert">
      {faults.slice(0, FAULTS_SHOWN).map((fault) => (
        <p class="fault" key={fault} dir="auto">
          {fault}
        </p>
      ))}
      {more > 0 && <p class="fault">{say`${more} more cannot be imported.`}</p>}
    </div>
  )
}

function Moving({ importer }: { importer: Importer }) {
  const progress = importer.progress.value
  return (
    <div class="moving" hidden={!progress}>
      {progress && (
        <>
          <p>
            <bdi>{progress.name}</bdi> <span role="status">{progress.words}</span>
          </p>
          <progress
            aria-label={say`Progress of the import`}
            {...(progress.share !== null && { value: progress.share })}
          />
          <p class="fine">{progress.detail}</p>
          <Button run={importer.cancel}>{say`Cancel`}</Button>
        </>
      )}
    </div>
  )
}

function Outcome({ importer }: { importer: Importer }) {
  const outcome = importer.outcome.value
  const heading = useRef<HTMLParagraphElement>(null)
  const isOver = outcome !== null && importer.progress.value === null
  useEffect(() => {
    // The button that was pressed, Cancel or Import, is gone: the focus does not go with it.
    if (isOver && (document.activeElement === document.body || !document.activeElement)) heading.current?.focus()
  }, [isOver])
  if (!outcome) return null
  const { ended, words, left, isPlan } = outcome
  return (
    <div class="outcome">
      <p ref={heading} tabIndex={-1} role="status">
        {words}
      </p>
      <ResultTable rows={tableOf(ended, say)} />
      {ended.map(({ name, run, troubles }) => (
        <ul class="troubles" key={name} aria-label={say`Notices about ${name}`}>
          {run.warnings.map(({ detail }) => (
            <li key={detail} dir="auto">
              {detail}
            </li>
          ))}
          {troubles.map((item, place) => (
            <li key={`${place} ${item.where}`} dir="auto">
              {failureInWords(item, say)}
            </li>
          ))}
          {run.totals.failed > SHOWN_ITEMS && <li>{say`${run.totals.failed - SHOWN_ITEMS} more failed.`}</li>}
        </ul>
      ))}
      {left.length > 0 && <p dir="auto">{say`Not begun: ${left.join(', ')}.`}</p>}
      {isPlan && importer.progress.value === null && (
        <div class="row">
          <button type="button" class="primary" onClick={() => importer.run()}>
            {say`Import this`}
          </button>
          <Button run={() => (importer.outcome.value = null)}>{say`Do not import`}</Button>
        </div>
      )}
      {!isPlan && <Links ended={ended.filter(({ run }) => !run.dry_run)} />}
    </div>
  )
}

function ResultTable({ rows: [head, ...rows] }: { rows: string[][] }) {
  if (!head) return null
  return (
    <div class="table">
      <table aria-label={say`What becomes of it`}>
        <thead>
          <tr>
            {head.map((text) => (
              <th key={text} scope="col">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([what = '', ...cells]) => (
            <tr key={what}>
              <th scope="row" dir="auto">
                {what}
              </th>
              {cells.map((text, place) => (
                <td key={head[place + 1]}>{text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Ways to what was imported: the first notes and tasks one by one, and the screens that have the rest. */
function Links({ ended }: { ended: readonly Ended[] }) {
  const written = ended.flatMap(({ name, run }) =>
    run.items.flatMap(({ where, type, id, action }) => {
      const address = id === null ? null : addressOfItem(type, id)
      return address !== null && (action === 'created' || action === 'updated')
        ? [{ words: where || name, address }]
        : []
    }),
  )
  const screens = SCREENS_OF.filter(({ types }) =>
    ended.some(({ run: { resources } }) =>
      types.some((type) => (resources[type]?.created ?? 0) + (resources[type]?.updated ?? 0) > 0),
    ),
  )
  if (screens.length === 0) return null
  return (
    <nav aria-label={say`What was imported`}>
      <ul class="imported">
        {screens.map(({ words, screen }) => (
          <li key={screen}>
            <a href={addressOf(screen)}>{words}</a>
          </li>
        ))}
        {written.slice(0, SHOWN_ITEMS).map(({ words, address }) => (
          <li key={address}>
            <a href={address} dir="auto">
              {words}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

const SCREENS_OF = [
  { screen: 'notes', words: say`To the notes`, types: ['note'] },
  { screen: 'tasks', words: say`To the tasks`, types: ['task', 'task_project'] },
  { screen: 'study', words: say`To the flashcards`, types: ['fact', 'card', 'deck'] },
] as const
