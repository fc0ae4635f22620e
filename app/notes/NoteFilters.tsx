/** Folders and tags as trees of links, and the ways to the archive and the trash. */
import { useState } from 'preact/hooks'
import { Act } from '../shell/controls'
import { addressOf } from '../shell/route'
import { say } from '../words/say'
import { isAbove, isSame, type PathNode } from './path-tree'

/** Paths of one level that are shown at first. */
const FIRST_SHOWN = 25

interface Props {
  readonly folders: readonly PathNode[]
  readonly tags: readonly PathNode[]
  readonly folder: string | null
  readonly tag: string | null
}

export function NoteFilters({ folders, tags, folder, tag }: Props) {
  return (
    <nav class="note-filters" aria-label={say`Folders and tags`}>
      {folders.length > 0 && (
        <section>
          <h2>{say`Folders`}</h2>
          <Tree nodes={folders} chosen={folder} addressOfPath={(path) => addressOf('notes', [], { folder: path })} />
        </section>
      )}
      {tags.length > 0 && (
        <section>
          <h2>{say`Tags`}</h2>
          <Tree nodes={tags} chosen={tag} addressOfPath={(path) => addressOf('notes', [], { tag: path })} mark="#" />
        </section>
      )}
      <ul>
        <li>
          <a href={addressOf('notes', [], { archived: '1' })}>{say`Archive`}</a>
        </li>
        <li>
          <a href={addressOf('settings', ['trash'])}>{say`Trash`}</a>
        </li>
      </ul>
    </nav>
  )
}

interface TreeProps {
  readonly nodes: readonly PathNode[]
  readonly chosen: string | null
  readonly addressOfPath: (path: string) => string
  readonly mark?: string
}

/** One level; those below the chosen path and on the way to it are open. */
function Tree({ nodes, chosen, addressOfPath, mark = '' }: TreeProps) {
  const [isWhole, setWhole] = useState(false)
  const listed = isWhole ? nodes : nodes.filter(({ path }, index) => index < FIRST_SHOWN || isAbove(path, chosen))
  return (
    <>
      <ul>
        {listed.map(({ name, path, count, children }) => (
          <li key={path}>
            <a href={addressOfPath(path)} aria-current={isSame(path, chosen) ? 'true' : undefined}>
              <span dir="auto">
                {mark}
                {name}
              </span>
              <span class="quiet">{count}</span>
            </a>
            {children.length > 0 && isAbove(path, chosen) && (
              <Tree nodes={children} chosen={chosen} addressOfPath={addressOfPath} />
            )}
          </li>
        ))}
      </ul>
      {listed.length < nodes.length && <Act run={() => setWhole(true)}>{say`All ${nodes.length}`}</Act>}
    </>
  )
}
