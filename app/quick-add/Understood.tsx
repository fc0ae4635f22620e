import type { QuickKind, QuickParse, QuickSpan } from '../../src/tasks/quick/parse'
import { useWorkspace } from '../data/use-workspace'
import { say } from '../words/say'
import { makeProject, makeSection } from './add'
import { spanInWords } from './chips'
import { whyNot } from './warnings'

interface Props {
  readonly parse: QuickParse
  readonly text: string
  readonly setText: (text: string) => void
  /** The project of a section that is named alone; null: the inbox, which has none. */
  readonly projectId: string | null
  /** Runs a request, and shows its failure. */
  readonly attempt: (work: () => Promise<unknown>) => void
}

const KIND_NAMES: Readonly<Record<QuickKind, string>> = {
  date: say`date`,
  time: say`time`,
  recurrence: say`recurrence`,
  duration: say`duration`,
  reminder: say`reminder`,
  project: say`project`,
  section: say`section`,
  label: say`label`,
  priority: say`priority`,
  escape: '',
}

/** What was understood, each with a way to leave it in the title, and what was not, with a way to make it understood. */
export function Understood({ parse, text, setText, projectId, attempt }: Props) {
  const workspace = useWorkspace()
  const project = parse.draft.project?.id ?? projectId
  // Quotes keep a part from being read.
  const leave = ({ start, end }: QuickSpan) => {
    const letters = [...text]
    setText(`${letters.slice(0, start).join('')}"${letters.slice(start, end).join('')}"${letters.slice(end).join('')}`)
  }
  const shown = parse.spans.filter(({ kind }) => kind !== 'escape')
  if (shown.length + parse.warnings.length === 0) return null
  return (
    <ul class="chips" aria-label={say`Understood`}>
      {shown.map((span) => (
        <li key={span.start}>
          <button type="button" onClick={() => leave(span)}>
            <span class="unseen">{say`Do not read “${span.text}” as ${KIND_NAMES[span.kind]}:`} </span>
            <span dir="auto">{spanInWords(span)}</span> <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
      {parse.warnings.map(({ code, start, text: part, detail }) => (
        <li key={`w${start}`} class="fine">
          {code === 'unknown_project' ? (
            <button type="button" class="offer" onClick={() => attempt(() => makeProject(workspace, nameIn(part)))}>
              {say`Make the project “${nameIn(part)}”`}
            </button>
          ) : code === 'unknown_section' && project !== null ? (
            <button
              type="button"
              class="offer"
              onClick={() => attempt(() => makeSection(workspace, project, nameIn(part)))}
            >
              {say`Make the section “${nameIn(part)}”`}
            </button>
          ) : (
            say`“${part}” stays in the title: ${whyNot(code, detail)}.`
          )}
        </li>
      ))}
    </ul>
  )
}

/** The name in `#Home` or `/"Living room"`. */
const nameIn = (marker: string) =>
  marker
    .slice(1)
    .replace(/^"(.*)"$/s, '$1')
    .replace(/\s+/g, ' ')
    .trim()
