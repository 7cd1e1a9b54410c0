autocmd BufRead,BufNewFile *.inv setfiletype sipc
