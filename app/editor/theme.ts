/**
 * The look of CodeMirror and of the titles in its shadow root. The variables are those of public/style.css, which
 * inherit; editor.css gives the textarea the same look, so that nothing moves when CodeMirror takes its place.
 */
export const THEME = {
  '&': {
    position: 'relative',
    minHeight: '12rem',
    border: '1px solid var(--edge)',
    borderRadius: '0.375rem',
    background: 'var(--raised)',
    color: 'var(--ink)',
  },
  '&.cm-focused': { outline: '2px solid var(--green)', outlineOffset: '2px' },
  '.cm-scroller': { minHeight: 'inherit', font: 'inherit', lineHeight: '1.6' },
  '.cm-content': { padding: '0.75rem 0', caretColor: 'var(--green)' },
  '.cm-line': { padding: '0 1rem', unicodeBidi: 'plaintext' },
  '.editor-titles': {
    position: 'absolute',
    zIndex: '1',
    maxWidth: 'min(24rem, 100%)',
    padding: '0.25rem',
    border: '1px solid var(--edge)',
    borderRadius: '0.375rem',
    background: 'var(--raised)',
  },
  '.editor-titles [role="option"]': {
    padding: '0.125rem 0.75rem',
    borderRadius: '0.25rem',
    cursor: 'pointer',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
  '.editor-titles [aria-selected="true"]': {
    background: 'var(--wash)',
    color: 'var(--green)',
    outline: '1px solid transparent',
    outlineOffset: '-1px',
  },
}
