import { findEarlierFile } from '../../imports/earlier-files'
import type { ImportWarning, Step } from '../../imports/kind'
import { hashOf, type LineFile, type SampleLine, type TodoItem } from '../formats/item'
import type { CalendarParams, CalendarPass } from './import-item'
import { getItemHashes } from './store'

// Lines of text have no UIDs. Their tasks are known by the file and the text, so the file must be known first.

/** Characters of the prefix that a file gives to the UIDs of its lines: 96 bits. */
const FILE_CHARS = 16

const OTHER_FILE: ImportWarning = {
  code: 'other_file',
  detail:
    'Another file of this name was imported before, and most of what both have differs. So nothing of that one was changed: the tasks of this file are new.',
}

/** Makes a pass find tasks only among those that earlier versions of the same file brought. */
export function withinFile(pass: CalendarPass): CalendarPass {
  return async (step, items) => {
    const file = items[0]?.value.file
    if (!file) return pass(step, items)
    const known = step.lineOfKey(file.first, 'task')?.left as { readonly prefix: string } | undefined
    const { prefix, isOther } = known ? { ...known, isOther: false } : await findFile(step, file)
    const scope = <Item extends { readonly value: TodoItem }>(item: Item) => ({
      ...item,
      value: withPrefix(prefix, item.value),
    })
    const keyOf = (uid: string) => uid.slice(prefix.length)
    const inside: typeof step = {
      ...step,
      lineOfKey: (uid, type) => step.lineOfKey(keyOf(uid), type),
      // The pass knows the type of its own values.
      itemsOfKey: (uid, type) => step.itemsOfKey<TodoItem>(keyOf(uid), type).map(scope) as never,
    }
    const lines = await pass(inside, items.map(scope))
    return lines.map((line, index) =>
      line && !known && items[index]?.key === file.first
        ? { ...line, left: { prefix }, warnings: [...(isOther ? [OTHER_FILE] : []), ...(line.warnings ?? [])] }
        : line,
    )
  }
}

function withPrefix(prefix: string, item: TodoItem): TodoItem {
  const { uid, parent_uid, former_uids } = item
  return {
    ...item,
    uid: prefix + uid,
    parent_uid: parent_uid === null ? null : prefix + parent_uid,
    former_uids: former_uids.map((other) => prefix + other),
  }
}

/** Finds the prefix of the file. Of two files without names, one may be the todo.txt and one the done.txt. */
async function findFile(step: Step<CalendarParams>, { base, first, ...file }: LineFile) {
  const sample = file.sample.length > 0 ? file.sample : (step.itemsOfKey<TodoItem>(first)[0]?.value.file?.sample ?? [])
  const prefixOf = (name: string) => hashOf([base, name]).slice(0, FILE_CHARS)
  const { name, isOther } = await findEarlierFile(
    (number) => compare(step, prefixOf(String(number)), sample),
    step.params.file_name === null ? Number.POSITIVE_INFINITY : sample.length,
    hashOf(sample),
  )
  return { prefix: prefixOf(name), isOther }
}

/** Counts the lines of a sample that are in a file as they are, and those that would change a task of it. */
async function compare({ session, params }: Step<CalendarParams>, prefix: string, sample: readonly SampleLine[]) {
  const { db, workspace } = session
  const uids = sample.flatMap(({ uid, former_uids }) => [uid, ...former_uids].map((other) => prefix + other))
  const hashes = await getItemHashes(db, workspace.id, params.format, uids)
  let [same, changed] = [0, 0]
  for (const { uid, former_uids, digest } of sample) {
    const hash = [uid, ...former_uids].map((other) => hashes.get(prefix + other)).find((known) => known !== undefined)
    if (hash === undefined) continue
    if (hash === digest) same++
    else changed++
  }
  return { same, changed }
}
