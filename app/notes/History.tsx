/** The earlier versions of a note: what has changed since, and a way back. */
import { useMemo, useState } from 'preact/hooks'
import { inWords } from '../api/client'
import type { Note, NoteRevisionSummary, NoteSummary, RevisionDiff } from '../api/types'
import { newId } from '../data/ids'
import { partNote } from '../data/resources'
import { useWorkspace } from '../data/use-workspace'
import type { Workspace } from '../data/workspace'
import { undoLast } from '../shell/act'
import { Fault } from '../shell/controls'
import { Failure } from '../shell/Failure'
import { notify } from '../shell/notice'
import { useAnswer } from '../shell/use-answer'
import { locale, say, sayWith } from '../words/say'
import { readDiff } from './diff-lines'
import { noteWrite } from './note-actions'

const MAX_LISTED = 50

const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

export function History({ note }: { note: NoteSummary }) {
  const { api, outbox } = useWorkspace()
  const [chosen, setChosen] = useState<number | null>(null)
  const { answer, again } = useAnswer(async (signal) => {
    // What was typed last is a revision of its own.
    await outbox.flush()
    const path = `api/notes/${note.id}/revisions`
    return api.call<{ items: NoteRevisionSummary[] }>({ path, query: { limit: MAX_LISTED }, signal })
  }, note.revision)
  if (answer.is === 'loading') return <p class="quiet">{say`Loading …`}</p>
  if (answer.is === 'failed') return <Failure message={answer.message} again={again} />
  const earlier = answer.value.items.slice(1)
  if (earlier.length === 0) return <p class="quiet">{say`There is no earlier version.`}</p>
  return (
    <ol class="note-history">
      {earlier.map((revision) => (
        <li key={revision.revision}>
          <button
            type="button"
            class="link"
            aria-expanded={chosen === revision.revision}
            onClick={() => setChosen(chosen === revision.revision ? null : revision.revision)}
          >
            {moment.format(new Date(revision.updated_at))}
          </button>
          {revision.label !== null && <span dir="auto"> {revision.label}</span>}
          {chosen === revision.revision && <Version note={note} revision={revision} />}
        </li>
      ))}
    </ol>
  )
}

/** What was changed since a version, by lines, and the button that brings it back. */
function Version({ note, revision }: { note: NoteSummary; revision: NoteRevisionSummary }) {
  const workspace = useWorkspace()
  const [fault, setFault] = useState('')
  const [isBusy, setBusy] = useState(false)
  const path = `api/notes/${note.id}/revisions/${revision.revision}/diff`
  const { answer, again } = useAnswer((signal) => workspace.api.call<RevisionDiff>({ path, signal }), note.revision)
  async function restore() {
    if (isBusy) return
    setBusy(true)
    setFault('')
    try {
      await restoreVersion(workspace, note, revision)
    } catch (error) {
      setFault(inWords(error))
    }
    setBusy(false)
  }
  return (
    <div class="note-version">
      {answer.is === 'done' && <Changes diff={answer.value} />}
      {answer.is === 'loading' && <p class="quiet">{say`Loading …`}</p>}
      {answer.is === 'failed' && <Failure message={answer.message} again={again} />}
      <Fault of={fault} />
      <button type="button" aria-disabled={isBusy} onClick={restore}>
        {say`Restore this version`}
      </button>
    </div>
  )
}

const WORDS = { added: say`Added:`, removed: say`Removed:` }

function Changes({ diff }: { diff: RevisionDiff }) {
  const lines = useMemo(() => readDiff(diff.unified), [diff])
  return (
    <>
      <p class="fine">
        {diff.added === 1
          ? say`One line added and ${diff.removed} removed since then.`
          : say`${diff.added} lines added and ${diff.removed} removed since then.`}
        {diff.title.from !== diff.title.to && <> {sayWith`It was called “${<bdi>{diff.title.from}</bdi>}”.`}</>}
      </p>
      {lines.length > 0 && (
        <div class="note-diff">
          {lines.map(({ kind, text }, index) => (
            <div key={index} class={kind} dir="auto">
              {kind === 'added' || kind === 'removed' ? <span class="unseen">{WORDS[kind]} </span> : null}
              {kind === 'gap' ? '⋯' : text === '' ? '\u00a0' : text}
            </div>
          ))}
        </div>
      )}
    </>
  )
}

/** Makes a note what it was at a revision. Throws Refused, Unreachable. */
async function restoreVersion(
  workspace: Workspace,
  note: NoteSummary,
  { revision, updated_at }: NoteRevisionSummary,
): Promise<void> {
  const { api, copy, outbox } = workspace
  await outbox.flush()
  const [before, { title, folder, tags }] = [await copy.body(note.id), note]
  const restored = await api.call<Note>({
    method: 'POST',
    path: `api/notes/${note.id}/revisions/${revision}/restore`,
    headers: { 'Idempotency-Key': newId(), 'If-Match': `"${copy.revisionOf('note', note.id)}"` },
  })
  const { summary, body } = partNote(restored)
  await copy.confirm([{ type: 'note', id: note.id, resource: summary, body }])
  const words = say`Restored “${summary.title}” as of ${moment.format(new Date(updated_at))}.`
  const data = { title, folder, tags, ...(before && { body: before.body }) }
  const inverse = noteWrite({ op: 'update', id: note.id, if_revision: summary.revision, data })
  await workspace.act(words, [], [inverse])
  notify(words, { label: say`Undo`, run: () => void undoLast(workspace) })
}
