/** The fields of a fact, by its type. */
import type { FactContent } from '../api/types'
import { say } from '../words/say'

type GivenType = FactContent['type']

/** What the fields of a form hold; of an imported note its own fields by their names instead. */
export interface FactFields {
  readonly type: GivenType | 'custom'
  readonly front: string
  readonly back: string
  readonly text: string
  readonly extra: string
  readonly fields: Readonly<Record<string, string>>
}

export const NO_FIELDS: FactFields = { type: 'basic', front: '', back: '', text: '', extra: '', fields: {} }

const TYPES: readonly (readonly [GivenType, string])[] = [
  ['basic', say`Question and answer`],
  ['reversed', say`Both ways`],
  ['typed', say`Answer is typed`],
  ['cloze', say`Gaps in a text`],
]

export function toFields(
  fact: Partial<Record<'front' | 'back' | 'text' | 'extra', string | null>> &
    Pick<FactFields, 'type'> & { readonly fields?: FactFields['fields'] | null },
): FactFields {
  const { type, front, back, text, extra, fields } = fact
  return { type, front: front ?? '', back: back ?? '', text: text ?? '', extra: extra ?? '', fields: fields ?? {} }
}

/** The members of a request that these fields make. */
export function toContent({ type, front, back, text, extra }: FactFields): FactContent {
  const more = { extra: extra.trim() === '' ? null : extra }
  if (type === 'cloze') return { type, text, ...more }
  return { type: type === 'custom' ? 'basic' : type, front, back, ...more }
}

export function isComplete({ type, front, back, text }: FactFields): boolean {
  if (type === 'custom') return true
  return type === 'cloze' ? /\{\{c\d/.test(text) : front.trim() !== '' && back.trim() !== ''
}

interface Props {
  readonly value: FactFields
  readonly onChange: (value: FactFields) => void
  /** Names the group of radio buttons; no other form of the page has the same. */
  readonly id: string
  /** Whether the fact is there already: then gaps stay gaps. */
  readonly isStored?: boolean
  /** While it is sent, nothing can be typed: it would be lost. */
  readonly isBusy?: boolean
}

export function FactForm({ value, onChange, id, isStored = false, isBusy = false }: Props) {
  const types = TYPES.filter(([type]) => !isStored || (type === 'cloze') === (value.type === 'cloze'))
  const area = (label: string, text: string, change: (text: string) => FactFields, hint = '') => (
    <label class="labelled">
      <span>{label}</span>
      <textarea
        rows={2}
        dir="auto"
        readOnly={isBusy}
        value={text}
        placeholder={hint}
        onInput={(event) => onChange(change(event.currentTarget.value))}
      />
    </label>
  )
  if (value.type === 'custom')
    return (
      <>
        {Object.entries(value.fields).map(([name, html]) =>
          area(`${name} (HTML)`, html, (text) => ({ ...value, fields: { ...value.fields, [name]: text } })),
        )}
      </>
    )
  return (
    <>
      <fieldset class="segments">
        <legend class="unseen">{say`Kind of card`}</legend>
        {types.map(([type, name]) => (
          <label key={type}>
            <input
              type="radio"
              name={`${id}-type`}
              checked={value.type === type}
              disabled={isBusy}
              onChange={() => onChange(change(value, type))}
            />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      {value.type === 'cloze' ? (
        area(say`Text`, value.text, (text) => ({ ...value, text }), say`The capital of Peru is ${'{{c1::Lima}}'}.`)
      ) : (
        <>
          {area(say`Question`, value.front, (front) => ({ ...value, front }))}
          {area(say`Answer`, value.back, (back) => ({ ...value, back }))}
        </>
      )}
      {area(say`Shown with the answer (may be empty)`, value.extra, (extra) => ({ ...value, extra }))}
    </>
  )
}

/** Another type: what was written as the question or the text is kept. */
function change(value: FactFields, type: GivenType): FactFields {
  if (type === 'cloze') return { ...value, type, text: value.text || value.front }
  return { ...value, type, front: value.front || value.text }
}
