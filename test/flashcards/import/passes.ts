import { join } from 'node:path'
import { createBlobStaging } from '../../../src/blobs/staging'
import { createFlashcardFiles } from '../../../src/features/flashcards'
import { createStudyContext } from '../../../src/flashcards/context'
import type { ImportParams } from '../../../src/flashcards/import/schema'
import type { ImportKind, Line } from '../../../src/imports/kind'
import { readFile } from '../../../src/imports/read-file'
import { SideFile } from '../../../src/imports/side-file.sqlite'
import { makeFolder } from '../../support/folder'
import { takePass } from '../../support/import-steps'
import { makeWorkspaces } from '../../support/workspaces'
import type { As } from '../../support/world'
import type { makeTransferWorld } from '../transfer-support'

type World = Awaited<ReturnType<typeof makeTransferWorld>>
type Told = Line & { readonly where: string; readonly type: string }

/** Reads a file in a Worker, and takes it through the passes of its import, in groups of exactly `size` items. */
export async function importInGroups(
  world: World,
  me: As,
  file: string | Uint8Array,
  size: number,
  params: Pick<ImportParams, 'format'> & Partial<ImportParams>,
): Promise<Told[]> {
  const { workspace } = world.sessionOf(me)
  const whole: ImportParams = { workspace: 'key', behind: 0, ...params }
  const kind = kindOf(world)
  const side = await read(kind, file, whole)
  try {
    const taken = { side, session: { workspace, db: world.db }, params: whole, size }
    for (const [nth, pass] of kind.passes.entries()) await takePass(pass, nth, taken)
    return side
      .listLines(0, side.total)
      .map(({ item: { where, type }, line: { seq: _, ...line } }) => ({ where, type, ...line }))
  } finally {
    side.close()
  }
}

async function read(kind: ImportKind, file: string | Uint8Array, params: ImportParams): Promise<SideFile> {
  const folder = makeFolder()
  const [path, side] = [join(folder, 'file'), join(folder, 'items.sqlite')]
  await Bun.write(path, file)
  const limits = { items: 1_000_000, bytes: 2 ** 30 }
  const { signal } = new AbortController()
  await readFile({
    ...{ reader: kind.reader, file: path, side, params, limits, signal },
    timeoutMs: 60_000,
    onProgress() {},
  })
  return new SideFile(side)
}

let count = 0

/** As the app makes it, but with room for any file. */
function kindOf({ db, clock }: World): ImportKind {
  const now = () => clock.now
  const ids = () => `01910000-0000-7000-8000-${(++count).toString(16).padStart(12, '0')}`
  const workspaces = makeWorkspaces({ db, now })
  const kinds: ImportKind[] = []
  const imports = { register: (kind: unknown) => void kinds.push(kind as ImportKind), receive: () => Promise.reject() }
  const missingNotes = async (_: unknown, asked: readonly string[]) => [...asked]
  const blobs = createBlobStaging({ now, reserve: workspaces.reserve })
  createFlashcardFiles({ db, imports }, createStudyContext({ now, ids, blobs, missingNotes, ...workspaces }))
  const [kind] = kinds
  if (!kind) throw new Error('no import was made known')
  return kind
}
