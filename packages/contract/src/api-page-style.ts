/** The style of the API page: system fonts, a readable line length, light or dark as the reader's system says. */
export const pageStyle = `
:root{color-scheme:light dark;--ink:light-dark(#1d2330,#e4e7ee);--soft:light-dark(#5b6475,#a0a8b8);--ground:light-dark(#fff,#14171d);
--raised:light-dark(#f5f6f9,#1c2029);--line:light-dark(#e2e5eb,#2c323e);--link:light-dark(#1f5fbf,#7db0ff);
--get:light-dark(#1b7a43,#6fd39a);--post:light-dark(#1f5fbf,#7db0ff);--patch:light-dark(#8a5a00,#e6b450);--delete:light-dark(#b3261e,#ff8a80)}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;display:grid;grid-template-columns:17rem minmax(0,1fr);font:16px/1.6 system-ui,-apple-system,"Segoe UI",sans-serif;color:var(--ink);background:var(--ground)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem 1rem 3rem 1.5rem;border-right:1px solid var(--line);font-size:.875rem;line-height:1.45}
nav .home{font-weight:700;font-size:1rem}
nav h2{margin:1.25rem 0 .25rem;font-size:.75rem;letter-spacing:.06em;text-transform:uppercase}
nav ul{margin:0;padding:0;list-style:none}
nav li{margin:.3rem 0}
nav a{color:var(--ink);text-decoration:none}
nav h2 a{color:var(--soft)}
main{max-width:60rem;padding:2rem 2.5rem 6rem}
h1{font-size:2rem;line-height:1.2;letter-spacing:-.02em;margin:0 0 1rem}
h1 small{font-size:1rem;font-weight:400;color:var(--soft)}
h2{font-size:1.5rem;line-height:1.3;margin:3rem 0 .5rem}
h3{font-size:1.15rem;margin:0}
h3 a{color:inherit;text-decoration:none}
h4{font-size:.8rem;letter-spacing:.04em;text-transform:uppercase;color:var(--soft);margin:1.25rem 0 .4rem}
p{max-width:44rem;margin:.5rem 0}
a{color:var(--link)}
a:hover{text-decoration:underline}
a:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}
article{margin:1.5rem 0;padding:1.25rem 1.5rem;border:1px solid var(--line);border-radius:.6rem}
article:target{border-color:var(--link)}
code,pre{font:.875em/1.55 ui-monospace,"SF Mono",Menlo,Consolas,monospace}
code{overflow-wrap:anywhere}
pre{margin:0;padding:.9rem 1rem;overflow:auto;background:var(--raised);border-radius:.4rem}
pre code{overflow-wrap:normal}
.route b{display:inline-block;min-width:4.2rem;font-size:.8rem;letter-spacing:.04em}
.get{color:var(--get)}.post,.put,.push{color:var(--post)}.patch{color:var(--patch)}.delete{color:var(--delete)}
.table{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}
td{padding:.45rem .75rem .45rem 0;border-top:1px solid var(--line);vertical-align:top}
td:first-child{white-space:nowrap}
tr:first-child td{border-top:0}
em{font-style:normal;font-size:.8rem;color:var(--soft)}
@media (max-width:50rem){body{display:block}nav{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line)}main{padding:1.5rem 1rem 4rem}article{padding:1rem}td:first-child{white-space:normal}}
@media print{nav{display:none}body{display:block}}
`;
