import { say } from '../words/say'

/** The flags of cards, by their number: names and colours are those of Anki. */
export const FLAGS: readonly (readonly [name: string, colour: string])[] = [
  [say`No flag`, ''],
  [say`Red flag`, '#e25252'],
  [say`Orange flag`, '#e58a2b'],
  [say`Green flag`, '#3fa35b'],
  [say`Blue flag`, '#4a86e0'],
  [say`Pink flag`, '#dd6fb0'],
  [say`Turquoise flag`, '#2ba5a5'],
  [say`Purple flag`, '#9367cf'],
]

export function Flag({ flag }: { flag: number }) {
  const [name, colour] = FLAGS[flag] ?? []
  if (flag === 0) return null
  return (
    <span class="study-flag" style={{ '--flag': colour }}>
      {name}
    </span>
  )
}
